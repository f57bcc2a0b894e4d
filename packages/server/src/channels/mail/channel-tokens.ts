import { createPolicyForHosts } from "@paraph/adapters/egress";
import { type AccessToken, AccessTokens } from "@paraph/adapters/oauth";
import type { ChannelContext } from "../channel.ts";
import type { OauthOptions } from "./options.ts";

const timeoutMs = 30_000;

/** The access tokens of one login of the channel. */
export interface ChannelTokens {
  get(): Promise<AccessToken>;
  /** Forgets a token that the server refused. */
  reject(token: AccessToken): void;
  close(): Promise<void>;
}

/** [TRUST 17] Opens the access tokens. Requests for tokens connect to the configured host or to public addresses. */
export function openChannelTokens(
  oauth: OauthOptions,
  { credential, folder }: Pick<ChannelContext, "credential" | "folder">,
): ChannelTokens {
  const egress = createPolicyForHosts(new URL(oauth.tokenUrl));
  const tokens = new AccessTokens({ folder, egress });
  const read = async (name: string | undefined) => (name === undefined ? undefined : await credential(name));
  return {
    async get() {
      // The secrets are read each time, because an operator may have replaced them.
      const { clientSecret, refreshToken } = oauth;
      const secrets = { clientSecret: await read(clientSecret), refreshToken: await read(refreshToken) };
      return tokens.get({ ...oauth, ...secrets }, AbortSignal.timeout(timeoutMs));
    },
    reject: (token) => void tokens.reject(token, "mail"),
    close: () => tokens.close(),
  };
}
