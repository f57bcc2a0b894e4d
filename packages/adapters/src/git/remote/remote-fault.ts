import { CapabilityError } from "@paraph/core";
import type { ProcessResult } from "../../process/index.ts";
import { formatGitError } from "../repository/git-fault.ts";

/**
 * [P8] Converts a failure between git and a remote to a fault. If the command performs the effect, an unrecognised
 * failure is ambiguous.
 */
export function toRemoteFault(ran: ProcessResult, what: string, effect: boolean): CapabilityError {
  const said = readGitLines(ran.stderr.toString("utf8"));
  const is = (pattern: RegExp) => pattern.test(said);
  // Git had already sent the push, so the remote may have applied it.
  if (effect && is(/RPC failed|hung up unexpectedly/)) return remoteFailedFault(ran, what, effect);
  if (
    is(/Could not resolve host|Failed to connect|Couldn't connect|Connection refused|Network is unreachable/i)
  )
    return new CapabilityError(
      "not-performed",
      "remote-unavailable",
      `${what} failed, because the remote does not respond. Paraph retries the call.`,
    );
  if (is(/error: (?:429|503)\b/))
    return new CapabilityError(
      "not-performed",
      "remote-busy",
      `${what} failed, because the remote is too busy. Paraph retries the call.`,
    );
  if (is(/could not read Username|Authentication failed|error: 40[13]\b/i))
    return new CapabilityError(
      "permanent",
      "remote-not-permitted",
      `${what} failed, because the remote denied access. Check that the remote's \`credential\` is valid and has the required permissions.`,
    );
  if (is(/error: 30\d\b|redirect/i))
    return new CapabilityError(
      "permanent",
      "remote-changed",
      `${what} failed, because the remote redirects to another address. Paraph does not follow redirects. Correct the remote's \`url\`.`,
    );
  if (is(/error: 404\b|not found|does not appear to be a git repository/i))
    return new CapabilityError(
      "permanent",
      "remote-unknown",
      `${what} failed, because the remote has no such repository. Check the remote's \`url\` and the permissions of its \`credential\`.`,
    );
  if (is(/transport '[^']*' not allowed/))
    return new CapabilityError(
      "permanent",
      "protocol-refused",
      `${what} failed, because Paraph does not allow the protocol of the remote. Use an https URL.`,
    );
  return remoteFailedFault(ran, what, effect);
}

function remoteFailedFault(ran: ProcessResult, what: string, effect: boolean): CapabilityError {
  return new CapabilityError(
    effect ? "ambiguous" : "not-performed",
    "remote-failed",
    `${what} failed, because the remote sent an unexpected response.${formatGitError(ran)}`,
  );
}

/**
 * Returns git's own messages. It drops the lines from the remote, because a hook on the remote can print the same words
 * as git, even after the effect.
 */
function readGitLines(said: string): string {
  return said
    .split(/[\r\n]/)
    .filter((line) => !line.startsWith("remote:"))
    .join("\n");
}
