import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { usageError } from "../cli-error.ts";

/** The functions that read files and standard input. Tests pass their own. */
export interface InputSources {
  file(path: string): Promise<string>;
  standardInput(): Promise<string>;
}

export const systemSources: InputSources = {
  file: (path) => readFile(path, "utf8"),
  standardInput: () => readAll(process.stdin),
};

/**
 * Reads a call's input from the command line: one JSON argument, or members as `key=text`, `key:=json`, `key@file`.
 * `--input` gives the whole input as JSON, and members override parts of it.
 */
export async function readCallInput(
  args: readonly string[],
  input: string | undefined,
  sources: InputSources = systemSources,
): Promise<Json> {
  const [first] = args;
  if (first !== undefined && /^\s*[{["]/.test(first)) {
    if (args.length > 1 || input !== undefined) {
      throw usageError(
        "The command contains the input more than once: as a JSON argument, and in other arguments or `--input`. Pass the input in only one way.",
      );
    }
    return parseJson(first, "The input");
  }
  const whole =
    input === undefined
      ? {}
      : parseJson(await readSource(input, sources), `\`${input === "-" ? "standard input" : input}\``);
  if (args.length === 0) return whole;
  if (!isJsonObject(whole))
    throw usageError(
      "`--input` is not a JSON object, so the other arguments cannot be added to it. Pass an object, or leave out the other arguments.",
    );
  return { ...whole, ...(await readMembers(args, sources)) };
}

async function readMembers(args: readonly string[], sources: InputSources): Promise<JsonObject> {
  const found = new Map<string, Json>();
  for (const arg of args) {
    const [, key, separator, rest] = /^([^\s=:@]+)(:=|=|@)([\s\S]*)$/.exec(arg) ?? [];
    if (key === undefined || rest === undefined) {
      throw usageError(
        `\`${arg}\` is not a valid input argument. Write \`key=text\`, \`key:=json\`, \`key@file\`, or the whole input as one JSON object.`,
      );
    }
    if (found.has(key)) throw usageError(`\`${key}\` is given twice. Leave one out.`);
    found.set(
      key,
      separator === "="
        ? rest
        : separator === ":="
          ? parseJson(rest, `\`${key}\``)
          : await readSource(rest, sources),
    );
  }
  return Object.fromEntries(found);
}

/** Faults of Zod and of JSON Schema about the type of a value. */
const typeFault = /expected (?!string)\w+, received string|has to be of type (?!.*string)/;

/**
 * Returns the advice to pass a JSON value, if the server rejected the type of a member that was passed as text.
 * `message` lists the faults as `path: fault; path: fault`.
 */
export function suggestJsonMembers(args: readonly string[], message: string): string | undefined {
  const faults = message.slice(message.indexOf(": ") + 2).split("; ");
  const members = args.flatMap((arg) => {
    const [, key, value = ""] = /^([^\s=:@]+)=([\s\S]*)$/.exec(arg) ?? [];
    const isTypeFault = faults.some((fault) => fault.startsWith(`${key}: `) && typeFault.test(fault));
    return isTypeFault ? [`\`${key}:=${value}\``] : [];
  });
  return members.length === 0
    ? undefined
    : `\`key=value\` passes a text. To pass a JSON value, write ${members.join(" ")}.`;
}

async function readSource(path: string, sources: InputSources): Promise<string> {
  try {
    return path === "-" ? await sources.standardInput() : await sources.file(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(
      code === "ENOENT"
        ? `There is no file \`${path}\`.`
        : `\`${path}\` could not be read (${code ?? "unknown error"}).`,
    );
  }
}

function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw usageError(
      `${what} is not valid JSON. For plain text, write \`key=text\`. For JSON, add the quotes that your shell requires.`,
    );
  }
}
