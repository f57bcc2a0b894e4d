import { z } from "zod";

/**
 * Who wrote a commit. Git would drop what it does not take without a word; here it is a fault. What stands at either end
 * of these is dropped as git does it, so that what is shown is what is kept.
 */
export const identInput = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\p{C}<>]*[\p{L}\p{N}][^\p{C}<>]*$/u, "a name in one line, without < and >")
    .overwrite(stripEnds),
  email: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\p{C}<>\s]*[\p{L}\p{N}][^\p{C}<>\s]*$/u, "an address in one line, without spaces, < and >")
    .overwrite(stripEnds),
});

export type Ident = z.output<typeof identInput>;

/** Who wrote it, and who put it there. The environment, since an argument would be read by every user of the machine. */
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
