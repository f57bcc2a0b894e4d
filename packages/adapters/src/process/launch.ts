/**
 * The command that Paraph finally starts: the program itself, or a program that sets limits and sandbox and then
 * executes it.
 */
export type Launch = ReadyLaunch | { readonly kind: "refused"; readonly message: string };

export interface ReadyLaunch {
  readonly kind: "ready";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * The contents of the sandbox's files 4, 5 and so on. Through file 3 the sandbox reports whether the program started.
   */
  readonly extraFiles?: readonly Uint8Array[];
}

export function refuseLaunch(message: string): Launch {
  return { kind: "refused", message };
}
