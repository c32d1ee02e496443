// What the toolchain uses of this package, which has no declarations.

declare module 'js-yaml' {
  export class Type {
    constructor(
      tag: string,
      options: {
        kind: 'scalar';
        resolve: (text: string | null) => boolean;
        construct: (text: string | null) => unknown;
      },
    );
  }

  export class Schema {
    constructor(types: { implicit: Type[]; explicit: Type[] });
  }

  /** @throws at the first error */
  export function load(
    text: string,
    options: { schema: Schema; onWarning: (warning: Error) => void },
  ): unknown;
}
