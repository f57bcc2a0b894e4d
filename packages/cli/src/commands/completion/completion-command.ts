import { Argument, type Command } from "commander";
import { type RunCommand, readGlobals } from "../../lib/command-options.ts";

/** Adds `paraph completion`. */
export function addCompletionCommand(program: Command, run: RunCommand): void {
  program
    .command("completion")
    .description("print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .addHelpText("after", completionHelp)
    .action(async (shell, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./completion.ts")).printCompletion(context, program, shell),
      ),
    );
}

const completionHelp = `
Install:
  bash   add to ~/.bashrc:   eval "$(paraph completion bash)"
  zsh    add to ~/.zshrc, after compinit:   eval "$(paraph completion zsh)"
  fish   paraph completion fish > ~/.config/fish/completions/paraph.fish`;
