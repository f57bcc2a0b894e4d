/**
 * Describes how a vote was given, such as `without passkey, in Slack`. Policy demands passkeys only for approvals, so a
 * denial is not said to lack one.
 */
export function describeVoteMeans({
  decision,
  proof,
  via,
}: {
  readonly decision?: unknown;
  readonly proof?: unknown;
  readonly via?: unknown;
}): string {
  const channel = describeVoteChannel(via);
  if (proof !== undefined) return `with passkey, ${channel}`;
  return decision === "approve" ? `without passkey, ${channel}` : channel;
}

/** Describes where a vote was given. Paraph records the channel only if it is mail or Slack. */
export function describeVoteChannel(via: unknown): string {
  return via === undefined ? "in Paraph or through its API" : (channels[String(via)] ?? `by ${via}`);
}

const channels: Readonly<Record<string, string>> = {
  mail: "by a reply to a mail",
  slack: "in Slack",
};
