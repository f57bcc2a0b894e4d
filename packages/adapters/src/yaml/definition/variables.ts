/** An environment variable of a tool: text with references to secrets. */
export interface Variable {
  readonly name: string;
  readonly parts: readonly ({ readonly text: string } | { readonly secret: string })[];
}

/** Parses a variable, and reports its faults. */
export function parseVariable(name: string, value: string, fault: (message: string) => void): Variable {
  const parts = [...value.matchAll(/\$\{([^}]*)\}|\$(?!\{)|[^$]+|\$/g)].map(([piece, secret]) => {
    if (secret === undefined) {
      if (piece.includes("\0")) fault("the variable contains a NUL character: remove it");
      return { text: piece };
    }
    if (!/^(?:[a-z][a-z0-9_-]{0,62}|[A-Z][A-Z0-9_]{0,62})$/.test(secret))
      fault(`\`\${${secret}}\` is not the name of a secret: write \`\${NAME}\``);
    return { secret };
  });
  return { name, parts };
}

export interface ToolEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The secrets, by name. Their values must not appear in the tool's output. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Builds a tool's environment. The function reads each secret once, when the tool needs it, and stores no secret. */
export async function readToolEnvironment(
  variables: readonly Variable[],
  credential: (name: string) => Promise<string>,
): Promise<ToolEnvironment> {
  const names = variables.flatMap(({ parts }) =>
    parts.flatMap((part) => ("secret" in part ? [part.secret] : [])),
  );
  const secrets: Record<string, string> = {};
  for (const name of new Set(names)) secrets[name] = await credential(name);
  const value = ({ parts }: Variable) =>
    parts.map((part) => ("secret" in part ? secrets[part.secret]! : part.text)).join("");
  return { variables: Object.fromEntries(variables.map((one) => [one.name, value(one)])), secrets };
}
