import type { Contract, Json } from "@paraph/core";
import { findDescribedStrings } from "./described-strings.ts";
import type { InputPlace } from "./input-texts.ts";
import type { Language } from "./threads/job.ts";

/** A field that the contract declares as code, through `contentMediaType` in the string's JSON Schema. */
export interface CodeField {
  readonly place: InputPlace;
  readonly text: string;
  readonly languages: readonly Language[];
}

const languageByMediaType: Readonly<Record<string, Language>> = {
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

export function findCodeFields(contract: Contract, input: Json): CodeField[] {
  return [...findDescribedStrings(contract.input, input)]
    .map(({ place, text, schemas }) => ({ place, text, languages: listLanguages(schemas) }))
    .filter(({ languages }) => languages.length > 0);
}

function listLanguages(message: readonly { readonly [key: string]: Json }[]): Language[] {
  const named = message.flatMap(({ contentMediaType }) =>
    typeof contentMediaType === "string" ? [contentMediaType.split(";")[0]!.trim().toLowerCase()] : [],
  );
  const known = named
    .filter((name) => Object.hasOwn(languageByMediaType, name))
    .map((name) => languageByMediaType[name]!);
  return [...new Set(known)];
}
