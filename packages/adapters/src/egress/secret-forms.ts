/** The minimum length of a secret to hide. Hiding shorter secrets would also hide parts of unrelated text. */
const minSecretLength = 4;

/**
 * [TRUST 16] Lists the forms in which programs print a secret: plain, in JSON, in HTML, in a URL and in base64. Each
 * form also matches inside longer text. The longest form comes first, because one form may be part of another.
 */
export function listSecretForms(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const forms = [
    ...[secret, inJson, inJson.replaceAll("/", "\\/"), escapeHtml(secret)],
    ...[inUrl, inUrl.replaceAll("%20", "+"), inUrl.replaceAll(/%../g, (code) => code.toLowerCase())],
    ...toBase64Forms(Buffer.from(secret)).flatMap((form) => [
      form,
      form.replaceAll("+", "-").replaceAll("/", "_"),
    ]),
  ];
  return [...new Set(forms)]
    .filter((form) => form.length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
}

/** Returns how many characters at the end of a cut text are the beginning of one of these forms. */
export function measurePartialSecret(text: string, forms: readonly string[]): number {
  for (const form of forms)
    for (let length = form.length - 1; length >= minSecretLength; length--)
      if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

/**
 * Returns the base64 forms of these bytes at each of the three possible offsets. Each form omits characters that depend
 * on neighboring bytes.
 */
function toBase64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEntities[character]!);
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
