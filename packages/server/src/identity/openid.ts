// The parts that need the libraries for OpenID Connect. Only a server with an issuer loads them.
export { createIssuer } from "./issuer.ts";
export { createIssuerLoginFlow } from "./issuer-login.ts";
export { verifyToken } from "./verify-token.ts";
