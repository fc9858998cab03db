// The function hook against a scripted `git-segue` and a scripted model: `claude plugin test` runs it.
import { expect, test } from 'claude-code/testing'

/** A conversation that ends with a prompt that nobody has answered. */
const ROWS = [
  { role: 'user', text: 'fix the parser', toolUses: [], handle: 'h1' },
  { role: 'assistant', text: 'Done.', toolUses: [], handle: 'h2' },
  { role: 'user', text: 'and now the lexer', toolUses: [], handle: 'h3' },
]
const call = (id: string, handle: string) =>
  ({ role: 'assistant', text: '', toolUses: [{ tool_use_id: id, tool: 'Bash', input: {} }], handle })
const result = (id: string, handle: string) =>
  ({ role: 'user', text: '', toolUses: [], toolResults: [{ tool_use_id: id, text: 'x', isError: false }], handle })

const ASK = { next: 'ask', card: 'c0ffee', system: 'ORDERS', prompt: 'DATA', max_tokens: 16000, timeout_ms: 60000 }
const REPLACE = { next: 'replace', text: '[segue] Handoff card 1f0c2a9b', toast: 'handoff card: 1f0c2a9b' }
const USAGE = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 }

const out = (stdout: string, exitCode = 0, stderr = '') =>
  ({ exitCode, stdout, stderr, isStdoutTruncated: false, isStderrTruncated: false })
const says = (...answers: object[]) => {
  const left = answers.map(answer => JSON.stringify(answer))
  return () => out(left.shift() ?? '{}')
}

/** A call that rejects with a text is scripted as that text. */
type Script = { segue: (asked: any) => unknown; model?: (asked: any) => unknown; agents?: object[]; ms?: number }

/** What stands beneath the plugin; what went by it. */
const engine = (on: any, script: Script) => {
  const seen = { segue: [] as any[], env: [] as any[], argv: [] as any[], model: [] as any[], toasts: [] as string[], builtIn: 0 }
  on('session.info', () => ({ value: { transcriptPath: '/t.jsonl' } }))
  on('session.id', () => ({ value: 's1' }))
  on('session.cwd', () => ({ value: '/w' }))
  on('agent.list', () => ({ value: script.agents ?? [] }))
  on('process.hookEnv', () => ({ value: { CLAUDE_PID: '7' } }))
  on('clock.now', () => ({ value: 1000 }))
  on('ui.toast', (_: any, e: any) => {
    seen.toasts.push(e.text)
    return { value: undefined }
  })
  on('process.run', (_: any, e: any) => {
    const asked = JSON.parse(e.stdin ?? e.init?.stdin)
    seen.segue.push(asked)
    seen.argv.push(e.argv)
    seen.env.push(e.env ?? e.init?.env)
    const ran = script.segue(asked)
    return typeof ran === 'string' ? { deny: ran } : { value: ran }
  })
  on('model.complete', (_: any, e: any) => {
    seen.model.push(e)
    const said = (script.model ?? (() => ({ isAnswered: true, text: 'ANSWER', usage: USAGE })))(e)
    return typeof said === 'string' ? { deny: said } : { value: said }
  })
  on('session.compact', () => {
    seen.builtIn += 1
    return { messages: [{ role: 'user', text: 'BUILT-IN', toolUses: [] }] }
  })
  return seen
}
const compact = async ($: any, more: object = {}) =>
  ((await $.session.compact({ trigger: 'auto', messages: ROWS, ...more })) as any).messages
const texts = (rows: any[]) => rows.map(row => row.text)

test('a model writes the summary, and the prompt that waits is handed back as it was', async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  const rows = await compact($, { instructions: 'keep the plan' })
  expect(texts(rows)).toEqual([REPLACE.text, 'and now the lexer'])
  expect(rows[0].handle).toBe(undefined)
  expect(rows[1].handle).toBe('h3')
  expect(seen.toasts).toEqual(['handoff card: 1f0c2a9b'])
  expect(seen.builtIn).toBe(0)
  expect(seen.argv[0]).toEqual(['git-segue', 'hook', 'claude-code'])
  const [prompt, answer] = seen.segue
  expect(prompt).toEqual({
    hook_event_name: 'session.compact', step: 'prompt', session_id: 's1', transcript_path: '/t.jsonl', cwd: '/w',
    agents: [], trigger: 'auto', custom_instructions: 'keep the plan',
  })
  expect(seen.model[0].model).toBe('haiku')
  expect(seen.model[0].system).toBe('ORDERS')
  expect(seen.model[0].prompt).toBe('DATA')
  expect(seen.model[0].maxTokens).toBe(16000)
  expect(seen.model[0].timeoutMs).toBe(60000)
  expect(answer).toEqual({
    hook_event_name: 'session.compact', step: 'answer', session_id: 's1', transcript_path: '/t.jsonl', cwd: '/w',
    agents: [], card: 'c0ffee', model: 'haiku', in_turn: false, text: 'ANSWER', input_tokens: 13, output_tokens: 5, milliseconds: 0,
  })
})

test('results in the middle of a turn are handed back with all of their calls', async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  const messages = [
    ROWS[0], call('old', 'a0'), result('old', 'r0'), { role: 'assistant', text: 'Two at once.', toolUses: [], handle: 'a1' },
    call('one', 'a2'), call('two', 'a3'), result('two', 'r2'), result('one', 'r1'),
  ]
  const rows = await compact($, { messages })
  expect(rows.slice(1).map((row: any) => row.handle)).toEqual(['a2', 'a3', 'r2', 'r1'])
  expect(seen.segue.at(-1).in_turn).toBe(true)
})

test('a compaction by hand, whose last row is an answer, hands nothing back', async ($, on) => {
  engine(on, { segue: says(ASK, REPLACE) })
  const rows = await compact($, { trigger: 'manual', messages: ROWS.slice(0, 2) })
  expect(texts(rows)).toEqual([REPLACE.text])
})

test('subagents are told each time, with what they do', async ($, on) => {
  const agent = { id: 'a1', type: 'explore', status: 'running', description: 'Count', tokenCount: 7 }
  const seen = engine(on, { segue: says(ASK, REPLACE), agents: [agent] })
  await compact($)
  const told = { id: 'a1', type: 'explore', status: 'running', description: 'Count' }
  expect(seen.segue.map(asked => asked.agents)).toEqual([[told], [told]])
})

test('a compaction that is put off asks again until it is not', async ($, on) => {
  const waits = [{ next: 'wait', held_ms: 0 }, { next: 'wait', held_ms: 4000 }]
  const seen = engine(on, { segue: says(...waits, ASK, REPLACE) })
  expect(texts(await compact($))).toEqual([REPLACE.text, 'and now the lexer'])
  expect(seen.segue.map(asked => asked.held_ms)).toEqual([undefined, 0, 4000, undefined])
  expect(seen.toasts).toEqual(['compaction waits for subagents', 'handoff card: 1f0c2a9b'])
})

test("a subagent's own compaction is none of ours", async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  expect(texts(await compact($, { agentId: 'a1' }))).toEqual(['BUILT-IN'])
  expect(seen.segue).toEqual([])
})

test('a compaction ahead of time is none of ours', async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  expect(texts(await compact($, { trigger: 'precompute' }))).toEqual(['BUILT-IN'])
  expect(seen.segue).toEqual([])
})

test('where git-segue steps aside the host compacts, with a line where there is one', async ($, on) => {
  const seen = engine(on, { segue: says({ next: 'compact', toast: null }) })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.toasts).toEqual([])
  expect(seen.model).toEqual([])
})

test('a refusal is judged by git-segue, and the host compacts', async ($, on) => {
  const line = 'handoff card: c0ffee, by rules: haiku refused: I cannot'
  const seen = engine(on, { segue: says(ASK, { next: 'compact', toast: line }) })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.toasts).toEqual([line])
})

test('why no model answered is brought to git-segue', async ($, on) => {
  const failures = [
    [{ isAnswered: false, reason: 'api-error', status: 529, error: 'overloaded', usage: USAGE }, 'failed: overloaded (529)'],
    [{ isAnswered: false, reason: 'api-error', status: null, error: 'unknown', usage: USAGE }, 'failed: unknown (no response)'],
    [{ isAnswered: false, reason: 'empty-reply', usage: USAGE }, 'gave an empty answer'],
    [{ isAnswered: false, reason: 'aborted', usage: USAGE }, 'timed out after 60 s'],
  ] as const
  let at = 0
  const answers = () => (at % 2 === 0 ? ASK : { next: 'compact', toast: 'by rules' })
  const seen = engine(on, {
    segue: () => out(JSON.stringify(answers()) + ((at += 1) && '')),
    model: () => failures[Math.floor(at / 2)]![0],
  })
  for (const [, failure] of failures) {
    expect(texts(await compact($))).toEqual(['BUILT-IN'])
    expect(seen.segue.at(-1).failure).toBe(failure)
    expect(seen.segue.at(-1).text).toBe(undefined)
  }
})

test('a model that cannot be asked leaves the built-in compaction', async ($, on) => {
  const seen = engine(on, {
    segue: says(ASK, { next: 'compact', toast: 'by rules' }),
    model: () => 'no such model',
  })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.segue.at(-1).failure).toMatch(/was not asked: .*no such model/)
})

test('a child that fails, is missing, slow or talks nonsense leaves the built-in compaction and a line', async ($, on) => {
  const faults: [() => unknown, string][] = [
    [() => out('', 1, 'git-segue: no room\nmore'), 'git-segue: no room'],
    [() => out('garbage'), 'exit code 0'],
    [() => out('null'), 'exit code 0'],
    [() => out('{"next":"dance"}'), 'exit code 0'],
    [() => out(JSON.stringify(ASK).slice(0, 20)), 'exit code 0'],
    [() => 'Executable not found in $PATH: "git-segue"', 'git-segue is not on PATH'],
    [() => 'still running after 45000 ms', 'still running'],
  ]
  let fault = faults[0]!
  const seen = engine(on, { segue: () => fault[0]() })
  for (fault of faults) {
    expect(texts(await compact($))).toEqual(['BUILT-IN'])
    expect(seen.toasts.at(-1)).toContain(fault[1])
  }
  expect(seen.builtIn).toBe(faults.length)
})

test('a child that fails behind the answer leaves the built-in compaction', async ($, on) => {
  let calls = 0
  const seen = engine(on, { segue: () => (calls++ === 0 ? out(JSON.stringify(ASK)) : out('', 101)) })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.toasts.at(-1)).toContain('exit code 101')
})

test('a git-segue that is switched off leaves the built-in compaction without a word', async ($, on) => {
  const seen = engine(on, { segue: () => out('') })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.toasts).toEqual([])
})

test('the model is the one of the options, and the hold theirs where it is set', { options: { model: 'sonnet', holdMinutes: 3 } }, async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  await compact($)
  expect(seen.model[0].model).toBe('sonnet')
  expect(seen.segue.at(-1).model).toBe('sonnet')
  expect(seen.env[0]).toEqual({ CLAUDE_PID: '7', CLAUDE_PLUGIN_OPTION_HOLDMINUTES: '3' })
})

test('a hold that is not set is left to git', async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  await compact($)
  expect(seen.env[0]).toEqual({ CLAUDE_PID: '7' })
})

test('it can be switched off', { options: { functionHook: false } }, async ($, on) => {
  const seen = engine(on, { segue: says(ASK, REPLACE) })
  expect(texts(await compact($))).toEqual(['BUILT-IN'])
  expect(seen.segue).toEqual([])
})
