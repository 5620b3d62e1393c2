import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Details } from './States.tsx'
import { Note } from './Note.tsx'

interface Props {
  /** What failed, as the reader knows it: the title of the chart or screen. */
  readonly title: string
  readonly children: ReactNode
}

interface State {
  readonly failure: Error | undefined
}

/** One broken drawing must not take the screen with it. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: undefined }

  static getDerivedStateFromError(thrown: unknown): State {
    return { failure: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === undefined) return this.props.children
    return (
      <Note kind="bad">
        <span>“{this.props.title}” could not be drawn; everything else works. </span>
        <Button small onClick={() => this.setState({ failure: undefined })}>
          Draw it again
        </Button>
        <Details text={failure.stack ?? failure.message} />
      </Note>
    )
  }
}
