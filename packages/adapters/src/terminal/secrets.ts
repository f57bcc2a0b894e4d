/**
 * [TRUST 16] A redactor of the secrets that a program receives, so that they do not get into a receipt by accident. It
 * cannot detect a secret that a program encodes on purpose.
 */
export class SecretRedactor {
  readonly #values: readonly (readonly [name: string, value: string])[];

  /**
   * Sorts the secrets by length, longest first, because one secret may be part of another. It skips very short secrets,
   * which would match everywhere.
   */
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

  /**
   * Redacts secrets in binary data. It converts the data and the secrets to texts with one character per byte. If the
   * data was cut, it also removes a partial secret at the end.
   */
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

/** Returns the length of the longest prefix of `value` at the end of `text`, or 0 if that prefix is too short. */
function measurePartialSecret(text: string, value: string): number {
  for (let length = value.length - 1; length >= minSecretLength; length--)
    if (text.endsWith(value.slice(0, length))) return length;
  return 0;
}

const minSecretLength = 6;
