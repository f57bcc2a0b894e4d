type RunCliCommand = (...args: string[]) => Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}>;

/** What a person does who approves without a dialogue: looks, then names what was seen. Both ends have to agree. */
export async function approveByFingerprint(run: RunCliCommand, id: string, ...more: string[]) {
  return run(
    ...(await fillPlaceholders(
      run,
      ["approve", "APPROVAL", "--fingerprint", "FINGERPRINT", "--yes", ...more],
      id,
    )),
  );
}

/** Commands of a guide, with what its reader has to put in the place of APPROVAL and FINGERPRINT. */
export async function fillPlaceholders(
  run: RunCliCommand,
  args: readonly string[],
  id = "last",
): Promise<string[]> {
  if (!args.includes("APPROVAL")) return [...args];
  const { stdout } = await run("approval", id, "--json");
  const { approval, fingerprint } = JSON.parse(stdout) as Record<string, string>;
  const words: Record<string, string | undefined> = { APPROVAL: approval, FINGERPRINT: fingerprint };
  return args.map((arg) => words[arg] ?? arg);
}
