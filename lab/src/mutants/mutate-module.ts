// The mutants of a compiled module: each changes one expression or statement, on one line.
import { parseAst } from 'rolldown/parseAst';

/** A change of the text between two offsets. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A function with a name, from its first to its last character. */
export interface NamedFunction {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};

/** Returns the changes after which the module can still be parsed. Strings and object literals are left unchanged. */
export function changesOf(code: string): Change[] {
  const found: Change[] = [];
  visit(parse(code), (node) => found.push(...changesAt(node, code)));
  return found.filter(({ start, end }) => !code.slice(start, end).includes('\n'));
}

/** Whether a module can be parsed. */
export function isModule(code: string): boolean {
  try {
    parse(code);
    return true;
  } catch {
    return false;
  }
}

/** Returns the named functions of a module: with their own name, or that of their variable, property or method. */
export function namedFunctions(code: string): NamedFunction[] {
  const found: NamedFunction[] = [];
  visit(parse(code), (node, parent) => {
    if (!/Function/.test(node.type)) return;
    const owner = isNode(node.id) ? node.id : (parent?.id ?? parent?.key);
    if (isNode(owner) && typeof owner.name === 'string') {
      found.push({ name: owner.name, start: node.start, end: node.end });
    }
  });
  return found;
}

function parse(code: string): Node {
  return parseAst(code) as unknown as Node;
}

function changesAt(node: Node, code: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return swapped(node, node.left as Node, node.right as Node, code);
    case 'AssignmentExpression':
      return swapped(node, node.left as Node, node.right as Node, code);
    case 'UpdateExpression': {
      const { start, end } = node;
      return [{ start, end, text: code.slice(start, end).replace(/\+\+|--/, (sign) => SWAPPED[sign]!) }];
    }
    case 'UnaryExpression':
      if (node.operator !== '!') return [];
      return [{ start: node.start, end: node.start + 1, text: '' }];
    case 'IfStatement':
    case 'ConditionalExpression':
      return [replaced(node.test as Node, 'true'), replaced(node.test as Node, 'false')];
    case 'ForStatement':
    case 'WhileStatement':
      return isNode(node.test) ? [replaced(node.test, 'false')] : [];
    case 'ExpressionStatement': {
      const expression = node.expression as Node;
      const call = expression.type === 'AwaitExpression' ? (expression.argument as Node) : expression;
      // As an operand, so that the change stays on the line however long the call is.
      if (call.type !== 'CallExpression') return [];
      return [{ start: node.start, end: node.start, text: 'false && ' }];
    }
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const body = node.body as Node;
      if (body.type !== 'BlockStatement' || (body.body as Node[]).length === 0) return [];
      return [{ start: body.start + 1, end: body.start + 1, text: ' return;' }];
    }
    case 'Literal':
      if (typeof node.value === 'boolean') return [replaced(node, String(!node.value))];
      if (typeof node.value === 'number')
        return [replaced(node, node.value === 0 ? '1' : String(node.value + 1))];
      return [];
    default:
      return [];
  }
}

function swapped(node: Node, left: Node, right: Node, code: string): Change[] {
  const operator = String(node.operator);
  const text = SWAPPED[operator];
  if (text === undefined || (operator === '+' && [left, right].some(isText))) return [];
  const start = code.indexOf(operator, left.end);
  return start < right.start ? [{ start, end: start + operator.length, text }] : [];
}

const isText = (node: Node): boolean => node.type === 'TemplateLiteral' || typeof node.value === 'string';

const replaced = ({ start, end }: Node, text: string): Change => ({ start, end, text });

function visit(node: Node, see: (node: Node, parent?: Node) => void, parent?: Node): void {
  see(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, see, node);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
