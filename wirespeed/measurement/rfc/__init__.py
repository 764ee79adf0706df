"""Common parts of the kinds whose tests follow an RFC: RFC 2544 and RFC 9693."""
