export { createBearerAuthenticator } from "./authenticate.ts";
export { type IdentityConfig, identitySchema, type OidcConfig } from "./config.ts";
export { createIssuer } from "./issuer.ts";
export { createIssuerLoginFlow } from "./login.ts";
