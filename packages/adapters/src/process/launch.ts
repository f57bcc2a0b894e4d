/**
 * The command that Paraph starts: the program itself, or a wrapper that sets the limits and the sandbox and then
 * executes the program.
 */
export type Launch = ReadyLaunch | { readonly kind: "refused"; readonly message: string };

export interface ReadyLaunch {
  readonly kind: "ready";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * The contents of the sandbox's file descriptors 4, 5 and so on. On file descriptor 3, the sandbox reports whether
   * the program started.
   */
  readonly extraFiles?: readonly Uint8Array[];
}

export function refuseLaunch(message: string): Launch {
  return { kind: "refused", message };
}
