import { ClientCredentialsProvider, type StoredOAuthTokens } from "@modelcontextprotocol/client";

/** [TRUST 8] Tokens for Paraph itself, from the one issuer that the operator named: a server may name any. */
export class ClientTokens extends ClientCredentialsProvider {
  readonly #keep: (token: string) => void;

  constructor(
    credentials: {
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
    },
    keep: (token: string) => void,
  ) {
    const { issuer, ...client } = credentials;
    super({ ...client, clientName: "paraph", expectedIssuer: issuer });
    this.#keep = keep;
  }

  override saveTokens(tokens: StoredOAuthTokens): void {
    this.#keep(tokens.access_token);
    super.saveTokens(tokens);
  }
}
