/** Takes out of what a tool said what nobody should read there. */
export type Scrub = (text: string) => string;

/**
 * Each in the forms in which tools print what they were given: as it is, its lines one by one, in JSON, in a URL and in
 * base64. What has fewer than four characters stays: taking it out would tear every other text apart.
 */
export function scrubOf(...hidden: readonly Readonly<Record<string, string>>[]): Scrub {
  const forms = hidden
    .flatMap((values) => Object.entries(values))
    .flatMap(([name, secret]) => formsOf(secret).map((form) => ({ form, name })))
    .filter(({ form }) => form.length >= shortest)
    .sort((a, b) => b.form.length - a.form.length);
  // Looking for each of so many would take too long, so nothing of it is shown.
  if (forms.length > mostForms) return () => "[hidden]";
  return (text) => forms.reduce((rest, { form, name }) => rest.replaceAll(form, `[hidden: ${name}]`), text);
}

function formsOf(secret: string): string[] {
  const texts = [secret, ...secret.split(/\r?\n/)];
  return [
    ...new Set(
      texts.flatMap((text) => [
        text,
        JSON.stringify(text).slice(1, -1),
        encodeURIComponent(text.toWellFormed()),
        Buffer.from(text).toString("base64").replace(/=+$/, ""),
      ]),
    ),
  ];
}

const shortest = 4;
const mostForms = 1_000;
