"""Completion for bash and zsh: commands, verbs, options, and the values and files that can follow them.

The scripts contain all words, so a key press starts no Python. The shells of `wirespeed ctl` and `console` complete
their own commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from manual.commands import Entry, Page

_BASH = """\
# bash completion of wirespeed; written by `python -m manual`.
_wirespeed() {{
	local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= place=1
	local options= words= files= valued= names='{names}'
	COMPREPLY=()
	while [ "$place" -lt "$COMP_CWORD" ]; do
		case $names in *"|${{command:+$command }}${{COMP_WORDS[place]}}|"*) ;; *) break ;; esac
		command=${{command:+$command }}${{COMP_WORDS[place]}}
		place=$((place + 1))
	done
	case "$command" in
{cases}
	esac
	case "$command $before" in
{values}
	*)
		case " $valued " in *" $before "*) return ;; esac
		case "$word" in -*) words=$options files= ;; esac
		;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	if [ -n "$files" ]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY+=($(compgen -f -- "$word"))
	fi
}}
complete -F _wirespeed wirespeed
"""

_ZSH = """\
#compdef wirespeed
# zsh completion of wirespeed; written by `python -m manual`.
_wirespeed() {{
	local -a commands
	local command= names='{names}'
	while (( CURRENT > 2 )) && [[ $names == *"|${{command:+$command }}$words[2]|"* ]]; do
		command="${{command:+$command }}$words[2]"
		shift words
		(( CURRENT-- ))
	done
	case "$command" in
{cases}
	esac
}}
_wirespeed "$@"
"""
_WHOLE = ("--help", "--version")


@dataclass
class _Place:
    """Words that can follow a command: its verbs with their summaries, and the options of the command itself."""

    page: Page | None = None
    verbs: dict[str, str] = field(default_factory=dict)


def bash(pages: Sequence[Page]) -> str:
    cases, values = [], []
    for name, place in _places(pages).items():
        entries = place.page.options if place.page else ()
        arguments = place.page.arguments if place.page else ()
        options = " ".join(["--help", *(option for entry in entries for option in entry.names)])
        valued = " ".join(option for entry in entries if entry.value for option in entry.names)
        words = [*place.verbs, *(_WHOLE if not name else ()), *(word for one in arguments for word in one.choices)]
        files = "yes" if any(argument.is_file for argument in arguments) else ""
        cases.append(f'\t{name!r}) options="{options}" valued="{valued}" words="{" ".join(words)}" files={files} ;;')
        for entry in entries:
            names = "|".join(f"'{name} {option}'" for option in entry.names)
            if entry.choices:
                values.append(f'\t{names}) words="{" ".join(entry.choices)}" files= ;;')
            elif entry.value and entry.is_file:
                values.append(f"\t{names}) words= files=yes ;;")
    return _BASH.format(names=_names(pages), cases="\n".join(cases), values="\n".join(values))


def zsh(pages: Sequence[Page]) -> str:
    cases = "\n".join(_zsh_case(name, place) for name, place in _places(pages).items())
    return _ZSH.format(names=_names(pages), cases=cases)


def _places(pages: Sequence[Page]) -> dict[str, _Place]:
    """Places by the words before them, which are empty for the first word."""
    places: dict[str, _Place] = {"": _Place(verbs={page.name: page.summary for page in pages})}
    for page in pages:
        for one in (page, *page.verbs):
            before, _, word = one.name.rpartition(" ")
            places.setdefault(one.name, _Place()).page = one
            if before and before not in places:  # a word between a command and its verbs, such as `ctl stats`
                above, _, between = before.rpartition(" ")
                places[above].verbs[between] = page.summary
            if before:
                places.setdefault(before, _Place()).verbs[word] = one.summary
    return places


def _names(pages: Sequence[Page]) -> str:
    return f"|{'|'.join(filter(None, _places(pages)))}|"


def _zsh_case(name: str, place: _Place) -> str:
    lines = [f"\t{name!r})"]
    if place.verbs:
        lines += ["\t\tcommands=(", *(f"\t\t\t{_quoted(f'{verb}:{told}')}" for verb, told in place.verbs.items())]
        lines += ["\t\t)", "\t\t_describe -t commands 'wirespeed command' commands"]
    options = place.page.options if place.page else ()
    specs = [_zsh_option(option) for option in options]
    if not specs:
        specs = ["'--help[Show this message and exit.]'", *(() if name else ("'--version[Print the version.]'",))]
    arguments = place.page.arguments if place.page else ()
    specs += [
        _quoted(f"{'*' if argument is arguments[-1] else ''}:{_plain(argument.text)}:{_zsh_value(argument)}")
        for argument in arguments
    ]
    return "\n".join([*lines, "\t\t_arguments" + "".join(f" \\\n\t\t\t{spec}" for spec in specs), "\t\t;;"])


def _zsh_option(option: Entry) -> str:
    value = f":{_plain(option.value)}:{_zsh_value(option)}" if option.value else ""
    told = f"[{_bracketed(option.help)}]{value}"
    if len(option.names) == 1:
        return _quoted(f"*{option.names[0]}{told}")
    return f"'*'{{{','.join(option.names)}}}{_quoted(told)}"


def _zsh_value(entry: Entry) -> str:
    if entry.choices:
        return f"({' '.join(entry.choices)})"
    return "_files" if entry.is_file else " "


def _bracketed(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _plain(text: str) -> str:
    return text.replace(":", " ").replace("\\", "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
