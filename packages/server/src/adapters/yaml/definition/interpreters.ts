import { basename } from "node:path";
import type { ArgumentDefinition, ToolDefinition } from "./definition.ts";

/** Programs that run a text they are handed. */
const interpreterPattern =
  /^(?:(?:ba|da|k|z|fi|a|c|tc)?sh|busybox|env|python[\d.]*|perl|ruby|node|deno|bun|php|pwsh|powershell|cmd)(?:\.exe)?$/i;
/** After these comes that text. */
const scriptOptionPattern = /^(?:-[a-z]*[ce]|--eval|--command|-Command|-r|\/c)$/i;

/** [TRUST 18] Whether a value would become part of a script: there it is no argument any more, but code. */
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
