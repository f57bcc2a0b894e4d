import { listSecretForms } from "../../egress/secret-forms.ts";

/** A function that removes hidden values from a tool's output. */
export type Scrubber = (text: string) => string;

/**
 * Creates a scrubber. The scrubber finds each hidden value in every form in which tools print it, both as a whole and
 * line by line.
 */
export function createScrubber(...hidden: readonly Readonly<Record<string, string>>[]): Scrubber {
  const forms = hidden
    .flatMap((values) => Object.entries(values))
    .flatMap(([name, secret]) => listForms(secret).map((form) => ({ form, name })))
    .sort((a, b) => b.form.length - a.form.length);
  // Searching for more than `maxForms` forms would take too long, so the whole output is hidden.
  if (forms.length > maxForms) return () => "[hidden]";
  return (text) => forms.reduce((rest, { form, name }) => rest.replaceAll(form, `[hidden: ${name}]`), text);
}

function listForms(secret: string): string[] {
  return [...new Set([secret, ...secret.split(/\r?\n/)].flatMap(listSecretForms))];
}

const maxForms = 1_000;
