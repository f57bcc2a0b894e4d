export { createBearerAuthenticator } from "./bearer-authenticator.ts";
export { type IdentityConfig, identitySchema, type OidcConfig } from "./config.ts";
