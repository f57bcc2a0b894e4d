/** What is started in the end: the program itself, or what sets its limits and its sandbox and then becomes it. */
export type Launch = ReadyLaunch | { readonly kind: "refused"; readonly message: string };

export interface ReadyLaunch {
  readonly kind: "ready";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In a sandbox: what it is handed as its files 4, 5 and so on. Through file 3 it tells whether the program began. */
  readonly extraFiles?: readonly Uint8Array[];
}

export function refuseLaunch(message: string): Launch {
  return { kind: "refused", message };
}
