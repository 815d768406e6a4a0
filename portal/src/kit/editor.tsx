import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
  type CompletionSource,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { keywordCompletionSource, PostgreSQL, sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
  type DecorationSet,
} from "@codemirror/view";
import { useEffect, useRef, type ReactNode } from "react";
import { styleNonce } from "~/app/nonce.ts";
import { suggestionsAt, type SqlSchema } from "./editor-completion.ts";
import { editorTheme } from "./editor-theme.ts";

export interface Mark {
  readonly from: number;
  readonly to: number;
}

interface SqlEditorProps {
  /** Attributes of the input element, at least its label. Changes after the first render have no effect. */
  attributes: Readonly<Record<string, string>>;
  value: string;
  onChange: (value: string) => void;
  /** Called by `⌘↵` and `Ctrl ↵` with the selected text or the whole text. Without it, the page handles these keys. */
  onRun?: (sql: string) => void;
  schema: SqlSchema | undefined;
  /** The part that the server could not read. */
  wrong?: Mark | null;
}

/** Without the PostgreSQL keywords that are names of our columns, for example level and message. */
const KEYWORDS =
  "all and any anti array as asc asof at between by case collate columns cross current desc distinct else end escape except exclude " +
  "exists false filter first following from full glob group having ilike in inner intersect interval is join lateral left like limit " +
  "natural not null nulls offset on or order outer over partition pivot positional preceding qualify recursive replace right row rows " +
  "sample select semi similar summarize then to true try_cast cast unbounded union unpivot using values when where window with within " +
  "year month week day hour minute second days hours minutes seconds millisecond milliseconds zone";
const TYPES =
  "bigint blob boolean date decimal double float hugeint int integer interval json list map real smallint struct text time timestamp " +
  "timestamptz tinyint ubigint uuid varchar";
const DIALECT = SQLDialect.define({ ...PostgreSQL.spec, keywords: KEYWORDS, types: TYPES, builtin: "" });

const setWrong = StateEffect.define<Mark | null>();

/** Holds the mark under an error. The next change removes it. */
const wrongField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (!effect.is(setWrong)) continue;
      const mark = effect.value;
      if (mark === null || mark.to > transaction.newDoc.length || mark.from >= mark.to) return Decoration.none;
      return Decoration.set([Decoration.mark({ class: "cm-wrong" }).range(mark.from, mark.to)]);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A SQL editor with completion from the server's schema. Tab leaves the editor, unless a completion is open. */
export function SqlEditor({ attributes, value, onChange, onRun, schema, wrong = null }: SqlEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, onChange, onRun });
  latest.current = { value, onChange, onRun };
  const first = useRef(attributes);
  const completion = useRef(new Compartment());

  useEffect(() => {
    if (host.current === null) return;
    const run = (editor: EditorView): boolean => {
      const { onRun: wanted } = latest.current;
      if (wanted === undefined) return false;
      const { main } = editor.state.selection;
      wanted(main.empty ? editor.state.doc.toString() : editor.state.sliceDoc(main.from, main.to));
      return true;
    };
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...extensions(first.current),
          completion.current.of([]),
          Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    const stopListening = closeSuggestionsFirst(editor);
    return () => {
      stopListening();
      editor.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    if (schema === undefined) return;
    view.current?.dispatch({ effects: completion.current.reconfigure(completionOf(schema)) });
  }, [schema]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: setWrong.of(wrong) });
  }, [wrong]);

  return (
    <div
      ref={host}
      className="h-full min-h-0 overflow-hidden rounded border border-line focus-within:outline-2 focus-within:outline-focus"
    />
  );
}

/** Lets `Esc` close open suggestions before the dialog around the editor, which would otherwise get the key first. */
function closeSuggestionsFirst(editor: EditorView): () => void {
  const listener = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !editor.hasFocus || completionStatus(editor.state) === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    closeCompletion(editor);
  };
  window.addEventListener("keydown", listener, { capture: true });
  return () => window.removeEventListener("keydown", listener, { capture: true });
}

/**
 * Replaces a selection by the typed text. Chromium itself would copy the look of the old text with an inline style,
 * which the content security policy refuses with an error in the console.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main, ranges } = view.state.selection;
    const { data, inputType } = event;
    if (inputType !== "insertText" || data === null || main.empty || ranges.length > 1 || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update({ ...view.state.replaceSelection(data), userEvent: "input.type", scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
    return true;
  },
});

function extensions(attributes: Readonly<Record<string, string>>): Extension[] {
  const nonce = styleNonce();
  return [
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of(attributes),
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    placeholder("SELECT level, count(*) AS entries FROM logs GROUP BY level"),
    wrongField,
    typeOver,
    sql({ dialect: DIALECT }),
    editorTheme,
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
    ]),
  ];
}

function completionOf(schema: SqlSchema): Extension {
  const known: CompletionSource = (context) => {
    const before = context.state.sliceDoc(0, context.pos);
    const found = suggestionsAt(schema, context.state.doc.toString(), before);
    if (found === null || (found.replaced === 0 && !context.explicit && !/['.]$/.test(before))) return null;
    return { from: context.pos - found.replaced, options: found.suggestions, validFor: /^[\w.@-]*$/ };
  };
  return autocompletion({ override: [known, keywordCompletionSource(DIALECT, true)], maxRenderedOptions: 60 });
}
