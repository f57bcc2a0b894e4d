/** Returns the operands of the node if the node consists of this operator alone. Otherwise returns undefined. */
export function readOperand(
  node: unknown,
  operator: string,
): { readonly [name: string]: unknown } | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const [[name, applied] = [], ...others] = Object.entries(node);
  const isIt = name === operator && others.length === 0 && typeof applied === "object" && applied !== null;
  return isIt ? (applied as { readonly [name: string]: unknown }) : undefined;
}
