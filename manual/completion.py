"""Completion for bash and zsh: commands, their options, the words and files that can stand behind them.

Both are written out whole, so that a key press starts no Python; `wirespeed ctl` and `console` complete the words of
their own shells there themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from manual.commands import Entry, Page

_BASH = """\
# bash completion of wirespeed; written by `python -m manual`.
_wirespeed() {{
	local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
	local options= words= files= valued=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
		return
	fi
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
	if (( CURRENT == 2 )); then
		commands=(
{commands}
		)
		_describe -t commands 'wirespeed command' commands
		_arguments '--help[Show this message and exit.]' '--version[Print the version.]'
		return
	fi
	local command=$words[2]
	shift words
	(( CURRENT-- ))
	case "$command" in
{cases}
	esac
}}
_wirespeed "$@"
"""


def bash(pages: Sequence[Page]) -> str:
    cases, values = [], []
    for page in pages:
        options = " ".join(name for option in page.options for name in option.names)
        valued = " ".join(name for option in page.options if option.value for name in option.names)
        words = " ".join(choice for argument in page.arguments for choice in argument.choices)
        files = "yes" if any(argument.is_file for argument in page.arguments) else ""
        cases.append(f'\t{page.name}) options="{options}" valued="{valued}" words="{words}" files={files} ;;')
        for option in page.options:
            names = "|".join(f"'{page.name} {name}'" for name in option.names)
            if option.choices:
                values.append(f'\t{names}) words="{" ".join(option.choices)}" files= ;;')
            elif option.value and option.is_file:
                values.append(f"\t{names}) words= files=yes ;;")
    commands = " ".join(page.name for page in pages)
    return _BASH.format(commands=commands, cases="\n".join(cases), values="\n".join(values))


def zsh(pages: Sequence[Page]) -> str:
    commands = "\n".join(f"\t\t\t{_quoted(f'{page.name}:{page.summary}')}" for page in pages)
    return _ZSH.format(commands=commands, cases="\n".join(_zsh_case(page) for page in pages))


def _zsh_case(page: Page) -> str:
    lines = [_zsh_option(option) for option in page.options]
    lines += [
        _quoted(f"{'*' if argument is page.arguments[-1] else ''}:{_plain(argument.text)}:{_zsh_value(argument)}")
        for argument in page.arguments
    ]
    specs = "".join(f" \\\n\t\t\t{line}" for line in lines)
    return f"\t{page.name})\n\t\t_arguments{specs}\n\t\t;;"


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
