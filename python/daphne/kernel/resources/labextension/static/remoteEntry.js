// SPDX-License-Identifier: Apache-2.0
// DaphneDSL in the editors of JupyterLab: colours, comments, indentation. This file is what JupyterLab loads, written by
// hand: a container of module federation with the one module "./extension", which takes what it needs from JupyterLab.
(() => {
  'use strict';

  const NAME = 'daphne-language';
  const KEYWORDS = new Set('if else while do for in as def return import break continue try catch'.split(' '));
  const TYPES = new Set('matrix scalar frame f64 f32 si64 si32 si8 ui64 ui32 ui8 str bool'.split(' '));
  const ATOMS = new Set('true false nan inf nanf inff'.split(' '));
  const UNIT = 4;

  // One line at a time; `state` says what a line before has left open.
  const mode = {
    name: 'daphnedsl',
    startState: () => ({ open: '', depth: 0 }),
    copyState: state => ({ ...state }),
    token(stream, state) {
      if (state.open) {
        return rest(stream, state);
      }
      if (stream.eatSpace()) {
        return null;
      }
      if (stream.match('#') || stream.match('//')) {
        stream.skipToEnd();
        return 'lineComment';
      }
      if (stream.match('/*')) {
        state.open = 'comment';
        return rest(stream, state);
      }
      if (stream.match('"')) {
        state.open = 'string';
        return rest(stream, state);
      }
      if (stream.match(/^\d[\d_']*(\.\d*)?([eE][+-]?\d+)?(ull|[flzu])?/) || stream.match(/^\.\d+([eE][+-]?\d+)?f?/)) {
        return 'number';
      }
      if (stream.match(/^\$\w*/)) {
        return 'variableName.special';
      }
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (word) {
        return wordStyle(word[0], stream);
      }
      const character = stream.next();
      if ('{(['.includes(character)) {
        state.depth += 1;
        return 'bracket';
      }
      if ('})]'.includes(character)) {
        state.depth = Math.max(0, state.depth - 1);
        return 'bracket';
      }
      return ',;.'.includes(character) ? 'punctuation' : 'operator';
    },
    indent(state, textAfter) {
      if (state.open) {
        return null;
      }
      return UNIT * Math.max(0, state.depth - (/^\s*[})\]]/.test(textAfter) ? 1 : 0));
    },
    languageData: {
      commentTokens: { line: '#', block: { open: '/*', close: '*/' } },
      closeBrackets: { brackets: ['(', '[', '{', '"'] },
      indentOnInput: /^\s*[})\]]$/
    }
  };

  // What is left of a comment or a string, as far as it is in this line.
  function rest(stream, state) {
    const style = state.open === 'comment' ? 'blockComment' : 'string';
    if (state.open === 'comment' ? stream.match(/^.*?\*\//) : stream.match(/^(\\.|[^"\\])*"/)) {
      state.open = '';
    } else {
      stream.skipToEnd();
    }
    return style;
  }

  function wordStyle(word, stream) {
    if (KEYWORDS.has(word)) {
      return 'keyword';
    }
    if (ATOMS.has(word)) {
      return 'atom';
    }
    if (TYPES.has(word)) {
      return 'typeName';
    }
    return stream.match(/^\s*\(/, false) ? 'variableName.function' : 'variableName';
  }

  let shared = null;

  // A module that JupyterLab shares with its extensions.
  async function provided(name) {
    const versions = Object.values((shared && shared[name]) || {});
    if (versions.length === 0) {
      throw new Error(NAME + ': JupyterLab does not share ' + name);
    }
    const chosen = versions.find(version => version.loaded) || versions[0];
    return (await chosen.get())();
  }

  async function extension() {
    const { IEditorLanguageRegistry } = await provided('@jupyterlab/codemirror');
    const plugin = {
      id: NAME + ':plugin',
      description: 'DaphneDSL in editors',
      autoStart: true,
      requires: [IEditorLanguageRegistry],
      activate: (app, languages) => {
        languages.addLanguage({
          name: 'daphnedsl',
          displayName: 'DaphneDSL',
          mime: 'text/x-daphnedsl',
          extensions: ['daph', 'daphne'],
          load: async () => {
            const { LanguageSupport, StreamLanguage } = await provided('@codemirror/language');
            return new LanguageSupport(StreamLanguage.define(mode));
          }
        });
      }
    };
    return () => ({ __esModule: true, default: plugin });
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB[NAME] = {
    init: scope => {
      shared = scope;
    },
    get: module =>
      module === './extension' ? extension() : Promise.reject(new Error(NAME + ' has no module ' + module))
  };
})();
