import type { Contract, Json } from "@paraph/core";
import { declaredIn } from "./declared.ts";
import type { Place } from "./texts.ts";
import type { Language } from "./threads/job.ts";

/** A field that the contract declares as code: JSON Schema's `contentMediaType` on the string. */
export interface CodeField {
  readonly place: Place;
  readonly text: string;
  readonly languages: readonly Language[];
}

const byMediaType: Readonly<Record<string, Language>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/x-yaml": "yaml",
  "text/yaml": "yaml",
  "text/typescript": "typescript",
  "application/typescript": "typescript",
  "text/javascript": "javascript",
  "application/javascript": "javascript",
  "application/sql": "sql",
  "text/x-sql": "sql",
  "text/x-shellscript": "shell",
  "application/x-sh": "shell",
};

export function codeFieldsOf(contract: Contract, input: Json): CodeField[] {
  return [...declaredIn(contract.input, input)]
    .map(({ place, text, message }) => ({ place, text, languages: languagesOf(message) }))
    .filter(({ languages }) => languages.length > 0);
}

function languagesOf(message: readonly { readonly [key: string]: Json }[]): Language[] {
  const named = message.flatMap(({ contentMediaType }) =>
    typeof contentMediaType === "string" ? [contentMediaType.split(";")[0]!.trim().toLowerCase()] : [],
  );
  const known = named.filter((name) => Object.hasOwn(byMediaType, name)).map((name) => byMediaType[name]!);
  return [...new Set(known)];
}
