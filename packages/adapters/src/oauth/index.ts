export { type AccessToken, AccessTokens } from "./access-tokens.ts";
export { createOauthSchema, type OauthClient } from "./config.ts";
