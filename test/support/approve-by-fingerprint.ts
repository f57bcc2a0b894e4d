type RunCliCommand = (...args: string[]) => Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}>;

/**
 * Approves without a dialogue, as a person does. It reads the approval and then passes the fingerprint, which must
 * match.
 */
export async function approveByFingerprint(run: RunCliCommand, id: string, ...more: string[]) {
  return run(
    ...(await fillPlaceholders(
      run,
      // By default, the command waits for the outcome for 10 s, in which a busy machine may not perform the call.
      ["approve", "APPROVAL", "--fingerprint", "FINGERPRINT", "--yes", "--wait", "60s", ...more],
      id,
    )),
  );
}

/** Fills in APPROVAL and FINGERPRINT in the commands of a guide, as its reader does. */
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
