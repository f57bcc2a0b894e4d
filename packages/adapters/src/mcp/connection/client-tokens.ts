import { ClientCredentialsProvider, type StoredOAuthTokens } from "@modelcontextprotocol/client";

/**
 * [TRUST 8] Gets tokens for Paraph itself from the issuer that the operator configured. The issuer that a server names
 * is ignored.
 */
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
