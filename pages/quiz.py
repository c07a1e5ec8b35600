"""The comprehension check: commit to an answer, then read the reasons."""

import streamlit as st

from lesson.quiz import Question, load_questions
from ui.content import READING_WIDTH, render_text
from ui.frame import begin, end


def forget(question: Question) -> None:
    """Clear an answer, so that the question can be tried again."""
    st.session_state.pop(f"quiz_committed_{question.id}", None)
    st.session_state[f"quiz_choice_{question.id}"] = None


def draw_reasons(question: Question, given: int) -> None:
    """Say whether the answer given is right and why, then why the right one is."""
    answer = question.choices[given]
    if answer.right:
        st.success(f"**Right.** {answer.reason}", icon=":material/check_circle:")
    else:
        st.warning(f"**Not this one.** {answer.reason}", icon=":material/cancel:")
        st.success(
            f"**The right answer: {question.right.text}.** {question.right.reason}",
            icon=":material/check_circle:",
        )
    st.button(
        "Try again",
        key=f"quiz_again_{question.id}",
        on_click=forget,
        args=(question,),
        icon=":material/refresh:",
    )


def draw_question(question: Question) -> None:
    """One question, before or after the learner has committed."""
    committed_key = f"quiz_committed_{question.id}"
    committed = st.session_state.get(committed_key)
    with st.container(border=True, width=READING_WIDTH):
        st.header(question.prompt, anchor=False)
        given = st.radio(
            question.prompt,
            range(len(question.choices)),
            format_func=lambda place: question.choices[place].text,
            index=None,
            key=f"quiz_choice_{question.id}",
            disabled=committed is not None,
            label_visibility="collapsed",
        )
        if committed is not None:
            draw_reasons(question, committed)
        elif st.button("Commit to this answer", key=f"quiz_commit_{question.id}", type="primary"):
            if given is None:
                st.info("Choose one of the answers first.", icon=":material/info:")
            else:
                st.session_state[committed_key] = given
                st.rerun()


def draw_questions() -> None:
    """Every question of the check."""
    for question in load_questions():
        draw_question(question)


begin("quiz")
render_text("quiz", slots={"questions": draw_questions})
end("quiz")
