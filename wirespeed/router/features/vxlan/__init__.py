"""VXLAN tunnels: interfaces whose frames go in UDP to another router."""

COMMANDS = ("create vxlan tunnel", "show vxlan tunnel")
