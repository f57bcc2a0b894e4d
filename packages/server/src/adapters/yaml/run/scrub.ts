import { listSecretForms } from "../../../outbound/secret-forms.ts";

/** Takes out of what a tool said what nobody should read there. */
export type Scrubber = (text: string) => string;

/** Each in the forms in which tools print what they were given, as a whole and its lines one by one. */
export function createScrubber(...hidden: readonly Readonly<Record<string, string>>[]): Scrubber {
  const forms = hidden
    .flatMap((values) => Object.entries(values))
    .flatMap(([name, secret]) => listForms(secret).map((form) => ({ form, name })))
    .sort((a, b) => b.form.length - a.form.length);
  // Looking for each of so many would take too long, so nothing of it is shown.
  if (forms.length > maxForms) return () => "[hidden]";
  return (text) => forms.reduce((rest, { form, name }) => rest.replaceAll(form, `[hidden: ${name}]`), text);
}

function listForms(secret: string): string[] {
  return [...new Set([secret, ...secret.split(/\r?\n/)].flatMap(listSecretForms))];
}

const maxForms = 1_000;
