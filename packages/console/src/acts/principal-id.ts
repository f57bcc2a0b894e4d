/** Returns whether a text can be the id of a new principal. */
export function isPrincipalId(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

export const principalIdHint = "Such as bo or bo@example.com. Without spaces. It can't be changed later.";
