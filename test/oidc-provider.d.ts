/** Declares the part that the tests use, because the package has no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  /** A record of the provider, such as a token. */
  interface Model {
    readonly accountId: string;
    readonly jti: string;
    readonly isValid: boolean;
    save(): Promise<string>;
    destroy(): Promise<void>;
  }
  interface Grant extends Model {
    addOIDCScope(scope: string): void;
  }
  interface ModelClass<T extends Model> {
    new (properties: object): T;
    find(id: string): Promise<T | undefined>;
  }
  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: ModelClass<Model>;
    readonly Client: { find(id: string): Promise<object | undefined> };
    readonly Grant: ModelClass<Grant>;
    readonly RefreshToken: ModelClass<Model>;
    callback(): RequestListener;
    on(event: string, listener: (token: Model) => void): this;
  }
}
