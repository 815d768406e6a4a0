import { Visitor } from "@swc/core/Visitor.js";
import type { Expression, Statement } from "@swc/core";

/**
 * Teaches swc's visitor, which the cruiser walks a module with, about `using` and `await using`: it throws on them otherwise.
 * Only the initialisers matter, they may hold a dynamic import.
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
