import { basename } from "node:path";
import type { ArgumentDefinition, Definition } from "./definition.ts";

/** Programs that run a text they are handed. */
const interpreters =
  /^(?:(?:ba|da|k|z|fi|a|c|tc)?sh|busybox|env|python[\d.]*|perl|ruby|node|deno|bun|php|pwsh|powershell|cmd)(?:\.exe)?$/i;
/** After these comes that text. */
const script = /^(?:-[a-z]*[ce]|--eval|--command|-Command|-r|\/c)$/i;

/** [TRUST 18] Whether a value would become part of a script: there it is no argument any more, but code. */
export function putsValuesIntoScripts(
  { binary }: Pick<Definition, "binary">,
  args: readonly ArgumentDefinition[],
): boolean {
  const named = typeof binary === "string" ? [binary] : Object.values(binary);
  if (!named.some((path) => path !== undefined && interpreters.test(basename(path)))) return false;
  const texts = args.flatMap((argument) => (typeof argument === "string" ? [argument] : argument.args));
  return texts.some((text, index) => script.test(texts[index - 1] ?? "") && hasValue(text));
}

function hasValue(text: string): boolean {
  return /\{[A-Za-z]/.test(text.replaceAll("{{", ""));
}
