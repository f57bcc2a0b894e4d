import { z } from "zod";

/** [TRUST 24] Without it, zod also matches the pattern against a text that is too long, which takes quadratic time. */
const aborting = { abort: true };

/**
 * The author of a commit. Paraph rejects characters that git would drop silently. Like git, it strips certain
 * characters from both ends, so that approvers see the name that git stores.
 */
export const identInput = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200, aborting)
    .regex(/^[^\p{C}<>]*[\p{L}\p{N}][^\p{C}<>]*$/u, "must be a name in one line, without < and >")
    .overwrite(stripEnds),
  email: z
    .string()
    .min(1)
    .max(254, aborting)
    .regex(
      /^[^\p{C}<>\s]*[\p{L}\p{N}][^\p{C}<>\s]*$/u,
      "must be an address in one line, without spaces, < and >",
    )
    .overwrite(stripEnds),
});

export type Ident = z.output<typeof identInput>;

/**
 * Returns the environment variables for author and committer. Paraph does not pass them as command-line arguments,
 * because every user of the machine could see those.
 */
export function toIdentEnvironment(author: Ident, committer: Ident): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
  };
}

function stripEnds(text: string): string {
  return text.replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/g, "");
}
