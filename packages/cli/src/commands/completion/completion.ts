import type { Command } from "commander";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { type CommandNode, type CompletionValue, listCommandNodes } from "./command-tree.ts";

export type Shell = "bash" | "zsh" | "fish";

/** Prints the completion script of a shell. It contains all commands, so that a completion starts no program. */
export async function printCompletion(
  { output, json }: Context,
  program: Command,
  shell: Shell,
): Promise<ExitCode> {
  const script = renderCompletion(program, shell);
  if (json) output.json({ shell, script });
  else output.raw(script);
  return exitCode.ok;
}

export function renderCompletion(program: Command, shell: Shell): string {
  const nodes = listCommandNodes(program);
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](nodes);
}

function renderBash(nodes: readonly CommandNode[]): string {
  return `# Completion of paraph for bash. Add to ~/.bashrc: eval "$(paraph completion bash)"
${renderSharedFunctions(nodes)}
_paraph() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at value
  # Bash splits --option=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  at=$(_paraph_command "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  if value=$(_paraph_value "$at" "$prev"); then
    case $value in
      # A name may contain a command. Bash quotes only names that it completes itself, or that are marked as names. Bash
      # 3 has no compopt, and completes folders itself.
      @folders) compopt -o filenames 2>/dev/null && mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
      @files | @text) ;;
      *) COMPREPLY=($(compgen -W "$value" -- "$cur")) ;;
    esac
    return
  fi
  case $cur in
    -*) value=$(_paraph_options "$at") ;;
    *) value=$(_paraph_words "$at") ;;
  esac
  COMPREPLY=($(compgen -W "$value" -- "$cur"))
}

_paraph_options() {
  case $1 in
${nodes.map(({ path, options }) => renderCase([path], `printf %s ${quote(listFlags(options))}`)).join("\n")}
  esac
}

_paraph_words() {
  case $1 in
${nodes
  .map((node) => ({
    ...node,
    words: [...node.subcommands.map(({ name }) => name), ...node.choices].join(" "),
  }))
  .filter(({ words }) => words !== "")
  .map(({ path, words }) => renderCase([path], `printf %s ${quote(words)}`))
  .join("\n")}
  esac
}

complete -o default -F _paraph paraph
`;
}

function renderZsh(nodes: readonly CommandNode[]): string {
  const describe = (name: string, text: string) => quote(`${name.replaceAll(":", "\\:")}:${text}`);
  return `#compdef paraph
# Completion of paraph for zsh. Add to ~/.zshrc, after compinit: eval "$(paraph completion zsh)"
${renderSharedFunctions(nodes)}
_paraph() {
  local at value
  local -a subcommands choices options
  at=$(_paraph_command "\${(@)words[2,CURRENT-1]}")
  if value=$(_paraph_value "$at" "$words[CURRENT-1]"); then
    case $value in
      @files) _files ;;
      @folders) _files -/ ;;
      @text) _message value ;;
      *) compadd -- \${=value} ;;
    esac
    return
  fi
  case $at in
${nodes
  .map(({ path, subcommands, choices, options }) =>
    [
      `    ${quote(path)})`,
      `      subcommands=(${subcommands.map(({ name, description }) => describe(name, description)).join(" ")})`,
      `      choices=(${choices.map(quote).join(" ")})`,
      `      options=(${options.map(({ long, description }) => describe(long, description)).join(" ")}) ;;`,
    ].join("\n"),
  )
  .join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  elif (( $#subcommands )); then
    _describe command subcommands
  elif (( $#choices )); then
    compadd -a choices
  else
    _files
  fi
}

if [[ $funcstack[1] == _paraph ]]; then
  _paraph "$@"
else
  compdef _paraph paraph
fi
`;
}

function renderFish(nodes: readonly CommandNode[]): string {
  const paths = nodes.flatMap(({ path }) => (path === "" ? [] : quote(path)));
  const lines = nodes.flatMap(({ path, subcommands, choices, options }) => {
    const start = `complete -c paraph -n ${quote(`__paraph_at '${path}'`)}`;
    return [
      ...subcommands.map(({ name, description }) => `${start} -f -a ${name} -d ${quote(description)}`),
      ...choices.map((choice) => `${start} -f -a ${choice}`),
      ...options.map(({ long, short, value, description }) =>
        [
          `${start} -l ${long.slice(2)}`,
          ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
          ...renderFishValue(value),
          `-d ${quote(description)}`,
        ].join(" "),
      ),
    ];
  });
  return `# Completion of paraph for fish. Save as ~/.config/fish/completions/paraph.fish
function __paraph_at
    set -l at ''
    set -l skip ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
        else if contains -- "$at $word" ${paths.join(" ")}
            set at "$at $word"
        else if contains -- "$at|$word" ${listValuePatterns(nodes)
          .map(({ pattern }) => quote(pattern))
          .join(" ")}
            set skip 1
        end
    end
    test "$at" = "$argv[1]"
end

${lines.join("\n")}
`;
}

function renderFishValue(value: CompletionValue | undefined): string[] {
  switch (value?.kind) {
    case undefined:
      return [];
    case "files":
      return ["-r", "-F"];
    case "folders":
      return ["-x", "-a '(__fish_complete_directories)'"];
    case "text":
      return ["-x"];
    case "choices":
      return ["-x", `-a ${quote(value.choices.join(" "))}`];
  }
}

/** The functions that bash and zsh share: which command the words name, and which options take a value. */
function renderSharedFunctions(nodes: readonly CommandNode[]): string {
  const commands = nodes.map(({ path }) => path).filter((path) => path !== "");
  const byValue = Map.groupBy(listValuePatterns(nodes), ({ text }) => text);
  return `_paraph_is_command() {
  case $1 in
${renderCase(commands, "return 0")}
  esac
  return 1
}

# Prints the values of an option, or fails if the option takes none.
_paraph_value() {
  case "$1|$2" in
${[...byValue]
  .map(([text, found]) =>
    renderCase(
      found.map(({ pattern }) => pattern),
      `printf %s ${quote(text)}`,
    ),
  )
  .join("\n")}
    *) return 1 ;;
  esac
}

# Prints the command that the given words name. Skips options and their values.
_paraph_command() {
  local at= skip= word
  for word in "$@"; do
    if [[ $word == "=" ]]; then
      skip=1
    elif [[ -n $skip ]]; then
      skip=
    elif _paraph_is_command "$at $word"; then
      at="$at $word"
    elif _paraph_value "$at" "$word" >/dev/null; then
      skip=1
    fi
  done
  printf %s "$at"
}
`;
}

/** Lists the options that take a value, each with its command, and the text that stands for the value. */
function listValuePatterns(nodes: readonly CommandNode[]) {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap(({ long, short, value }) =>
      value === undefined
        ? []
        : [long, ...(short === undefined ? [] : [short])].map((flag) => ({
            pattern: `${path}|${flag}`,
            text: formatValue(value),
          })),
    ),
  );
}

function formatValue(value: CompletionValue): string {
  return value.kind === "choices" ? value.choices.join(" ") : `@${value.kind}`;
}

function listFlags(options: CommandNode["options"]): string {
  return options.map(({ long }) => long).join(" ");
}

function renderCase(patterns: readonly string[], action: string): string {
  return `    ${patterns.map(quote).join("|")}) ${action} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
