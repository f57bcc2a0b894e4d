import { basename } from "node:path";
import type { ArgumentDefinition, ToolDefinition } from "./definition.ts";

/** Programs that run a script from an argument. */
const interpreterPattern =
  /^(?:(?:ba|da|k|z|fi|a|c|tc)?sh|busybox|env|python[\d.]*|perl|ruby|node|deno|bun|php|pwsh|powershell|cmd)(?:\.exe)?$/i;
/** Options before the script. */
const scriptOptionPattern = /^(?:-[a-z]*[ce]|--eval|--command|-Command|-r|\/c)$/i;

/** [TRUST 18] Whether a value would become part of a script, where it would be code and not an argument. */
export function hasValueInScript(
  { binary }: Pick<ToolDefinition, "binary">,
  args: readonly ArgumentDefinition[],
): boolean {
  const named = typeof binary === "string" ? [binary] : Object.values(binary);
  if (!named.some((path) => path !== undefined && interpreterPattern.test(basename(path)))) return false;
  const texts = args.flatMap((argument) => (typeof argument === "string" ? [argument] : argument.args));
  return texts.some((text, index) => scriptOptionPattern.test(texts[index - 1] ?? "") && hasValue(text));
}

function hasValue(text: string): boolean {
  return /\{[A-Za-z]/.test(text.replaceAll("{{", ""));
}
