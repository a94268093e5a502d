"""mmwemu completion."""

from __future__ import annotations

import click

from mmwemu.cli.output import print_script


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script by which a shell completes verbs, options, and names of patterns, scenarios and link profiles.

    Install it once; it holds from the next shell on:

    \b
    mmwemu completion bash > ~/.local/share/bash-completion/completions/mmwemu
    mmwemu completion zsh > ~/.zfunc/_mmwemu
    mmwemu completion fish > ~/.config/fish/completions/mmwemu.fish

    The folder has to exist. bash needs the package bash-completion, or the script in ~/.bashrc; zsh the line
    'fpath+=~/.zfunc' before 'compinit' in ~/.zshrc.
    """
    from click import shell_completion

    from mmwemu.cli.verbs import cli

    kind = shell_completion.get_completion_class(shell)
    if kind is None:
        raise AssertionError(f"click has no completion for {shell}")
    # Without its own look at the shell's version, which would start the shell.
    script = kind(cli, {}, "mmwemu", "_MMWEMU_COMPLETE")
    print_script(script.source_template % script.source_vars())
