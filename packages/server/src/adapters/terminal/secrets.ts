/**
 * [TRUST 16] What a program was trusted with, and must not put into a receipt by accident. One that means to tell can:
 * it need only spell the secret otherwise.
 */
export class SecretRedactor {
  readonly #values: readonly (readonly [name: string, value: string])[];

  /** The longest first: one may be part of another. Very short ones would be found in everything. */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = [...values]
      .filter(([, value]) => value.length >= minSecretLength)
      .sort(([, a], [, b]) => b.length - a.length);
  }

  get hasSecrets(): boolean {
    return this.#values.length > 0;
  }

  redact(text: string): string {
    return this.#values.reduce((hidden, [name, value]) => hidden.replaceAll(value, () => `<${name}>`), text);
  }

  /** In what need not be text: one character for each byte, on both sides. Where it was cut, the half of one goes too. */
  redactBytes(bytes: Buffer, cut: boolean): Buffer {
    if (!this.hasSecrets) return bytes;
    let text = bytes.toString("latin1");
    for (const [name, value] of this.#values) {
      const asBytes = Buffer.from(value).toString("latin1");
      text = text.replaceAll(asBytes, () => `<${name}>`);
      if (cut) text = text.slice(0, text.length - measurePartialSecret(text, asBytes));
    }
    return Buffer.from(text, "latin1");
  }
}

/** How much of the beginning of a value a text ends with. */
function measurePartialSecret(text: string, value: string): number {
  for (let length = value.length - 1; length >= minSecretLength; length--)
    if (text.endsWith(value.slice(0, length))) return length;
  return 0;
}

const minSecretLength = 6;
