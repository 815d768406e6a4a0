import { Visitor } from "@swc/core/Visitor.js";
import type { Expression, Statement } from "@swc/core";

/**
 * Makes swc's visitor, which the cruiser uses, accept `using` and `await using`; otherwise it throws. Only their
 * initialisers are visited, since these may contain a dynamic import.
 */
export function teachUsing(): void {
  const original = Reflect.get(Visitor.prototype, "visitStatement");
  Visitor.prototype.visitStatement = function visitStatement(this: Visitor, statement: Statement): Statement {
    if (!isUsing(statement)) return original.call(this, statement);
    for (const { init } of statement.decls) if (init) this.visitExpression(init);
    return statement;
  };
}

interface UsingDeclaration {
  readonly decls: readonly { readonly init?: Expression | null }[];
}

function isUsing(statement: { readonly type: string }): statement is Statement & UsingDeclaration {
  return statement.type === "UsingDeclaration";
}
