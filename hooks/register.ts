// Claude Code's function hook: the summary of a compaction and the handoff card, written by one call of a model that Claude
// Code itself makes. `git-segue` says what is asked, judges the answer, commits the card and words the text; this module
// carries between the two. Whatever goes wrong, Claude Code's own compaction runs, and its command hooks do the rest.
import type {
  EngineInterface,
  PluginOptions,
  Register,
  SessionCompactInput,
  SessionMessage,
} from 'claude-code'

/** What `git-segue` says is to be done next; `src/hosts/claude_code/function_hook.rs` words it. */
type Next =
  | { next: 'ask'; card: string; system: string; prompt: string; max_tokens: number; timeout_ms: number }
  | { next: 'wait'; held_ms: number }
  | { next: 'replace'; text: string; toast: string }
  | { next: 'compact'; toast?: string | null }

/** A call of `git-segue` may take this long: it looks at a repository, or waits a few seconds for subagents. */
const CALL_MS_MAX = 45_000

const GIVEN_UP = 'the compaction was given up'

/** Whatever `git-segue` printed that is no answer: quiet where it was told to be, else a line that says why. */
class NoAnswer extends Error {}

export const register: Register = (on, options) => {
  if (options.functionHook === false) return
  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e)
    try {
      const told = await handOver($, e, options, next.signal)
      if (told.toast) $.ui.toast(told.toast)
      if (told.next === 'replace') {
        return { messages: [{ role: 'user', text: told.text, toolUses: [] }, ...tail(e.messages)] }
      }
    } catch (error) {
      // The person pressed Esc: there is no compaction to fall back to, and nobody hears this.
      if (next.signal.aborted) return { skip: GIVEN_UP }
      $.ui.toast(`no handoff by a model: ${words(error)}`)
    }
    return next(e)
  }).catch(($, e, next) => next(e))
}

/** From the compaction to the text that takes the conversation's place, or to the host's own compaction. */
const handOver = async (
  $: EngineInterface,
  e: SessionCompactInput,
  options: PluginOptions,
  signal: AbortSignal,
): Promise<Next & { next: 'replace' | 'compact' }> => {
  const [info, session_id, cwd] = await Promise.all([$.session.info(), $.session.id(), $.session.cwd()])
  const env: Record<string, string> = await $.process.hookEnv()
  // As Claude Code hands it to command hooks, where the person has set it.
  if (options.holdMinutes !== '' && options.holdMinutes !== undefined) {
    env.CLAUDE_PLUGIN_OPTION_HOLDMINUTES = String(options.holdMinutes)
  }
  const segue = async (step: 'prompt' | 'answer', more: object): Promise<Next> => {
    const agents = (await $.agent.list()).map(({ id, type, status, description }) => ({ id, type, status, description }))
    const stdin = JSON.stringify({
      hook_event_name: 'session.compact', step, session_id, transcript_path: info.transcriptPath, cwd, agents, ...more,
    })
    const ran = await $.process.run(['git-segue', 'hook', 'claude-code'], { stdin, env, timeoutMs: CALL_MS_MAX })
    if (signal.aborted) throw new NoAnswer(GIVEN_UP)
    return read(ran)
  }

  const asked = { trigger: e.trigger, custom_instructions: e.instructions ?? null }
  let told = await segue('prompt', asked)
  if (told.next === 'wait') $.ui.toast('compaction waits for subagents')
  while (told.next === 'wait') told = await segue('prompt', { ...asked, held_ms: told.held_ms })
  if (told.next !== 'ask') return told

  const model = String(options.model || 'haiku')
  // In the middle of a turn its prompt lies further back than what is handed back.
  const in_turn = tail(e.messages)[0]?.role === 'assistant'
  const answered = { card: told.card, model, in_turn, ...(await ask($, model, told)) }
  if (signal.aborted) throw new NoAnswer(GIVEN_UP)
  told = await segue('answer', answered)
  if (told.next === 'ask' || told.next === 'wait') throw new NoAnswer('git-segue asked twice')
  return told
}

/** One call of the host's own model: its words, or why there are none. */
const ask = async ($: EngineInterface, model: string, told: Next & { next: 'ask' }) => {
  const began = await $.clock.now()
  const cost = async (usage?: Record<string, number>) => ({
    input_tokens: usage && usage.input_tokens! + usage.cache_read_input_tokens! + usage.cache_creation_input_tokens!,
    output_tokens: usage?.output_tokens,
    milliseconds: Math.round((await $.clock.now()) - began),
  })
  try {
    const said = await $.model.complete({
      model, system: told.system, prompt: told.prompt, maxTokens: told.max_tokens, timeoutMs: told.timeout_ms,
    })
    if (said.isAnswered) return { text: said.text, ...(await cost(said.usage)) }
    const failure = {
      'api-error': () => `failed: ${'error' in said ? `${said.error} (${said.status ?? 'no response'})` : ''}`,
      'empty-reply': () => 'gave an empty answer',
      aborted: () => `timed out after ${Math.round(told.timeout_ms / 1000)} s`,
    }[said.reason]()
    return { failure, ...(await cost(said.usage)) }
  } catch (error) {
    return { failure: `was not asked: ${words(error)}`, ...(await cost()) }
  }
}

const read = (ran: { exitCode: number; stdout: string; stderr: string; isStdoutTruncated: boolean }): Next => {
  // Switched off, in a subagent, nothing to tell.
  if (ran.exitCode === 0 && ran.stdout.trim() === '' && ran.stderr.trim() === '') return { next: 'compact' }
  try {
    const told = JSON.parse(ran.stdout)
    if (['ask', 'wait', 'replace', 'compact'].includes(told?.next)) return told
  } catch {
    // Said below.
  }
  const line = ran.stderr.trim().split('\n')[0]
  throw new NoAnswer(line || `git-segue gave no answer (exit code ${ran.exitCode})`)
}

/**
 * What nobody has answered yet: behind the agent's last row, with the calls that results there belong to. What is not
 * handed back is lost, and a result without its call is dropped. Rows keep their handles, so they stay as they are.
 */
const tail = (rows: readonly SessionMessage[]): readonly SessionMessage[] => {
  let first = rows.findLastIndex(row => row.role === 'assistant') + 1
  const open = new Set(rows.slice(first).flatMap(row => (row.toolResults ?? []).map(result => result.tool_use_id)))
  while (open.size > 0 && first > 0) {
    first -= 1
    for (const call of rows[first]!.toolUses) open.delete(call.tool_use_id)
  }
  return rows.slice(first)
}

const words = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  if (/\bENOENT\b|not found in \$PATH/.test(text)) return 'git-segue is not on PATH'
  return text.split('\n')[0]!.slice(0, 200)
}
