//! Several statements in one round trip.
//!
//! Everything is written before the first answer is read, and answers come in order. When one statement fails the
//! server refuses the rest of the transaction, and turns its commit into a rollback.
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::Instant,
};

use futures_util::TryStreamExt;
use tokio_postgres::{Client, Error, Row, Statement};

use super::{
    failure::Trouble,
    link::Link,
    statement::{Sql, Value},
};

/// One thing to send.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Words without values: the beginning and the end of a transaction.
    Text(&'static str),
    /// A prepared statement.
    Run { sql: Sql, values: Vec<Value> },
}

/// What went wrong, and with which step.
pub(super) struct Failed {
    pub(super) step: usize,
    pub(super) trouble: Trouble,
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + Send + 'a>>;

/// Sends all steps and gives the rows of each.
pub(super) fn run(link: &mut Link, steps: &[Step]) -> Result<Vec<Vec<Row>>, Failed> {
    run_for(link, steps, steps.len())
}

/// Sends all steps, and waits only for the answers to the first few.
pub(super) fn run_for(link: &mut Link, steps: &[Step], wanted: usize) -> Result<Vec<Vec<Row>>, Failed> {
    let deadline = link.silence.reply();
    let answered = send(link, steps, wanted, deadline);
    // An answer is a sign of the server, also one that refuses. That a connection ended may be told by this machine alone.
    let is_answer = match &answered {
        Ok(_) => true,
        Err(Failed { trouble: Trouble::Server(error), .. }) => error.as_db_error().is_some(),
        Err(_) => false,
    };
    if is_answer {
        link.silence.heard();
    }
    answered
}

fn send(link: &mut Link, steps: &[Step], wanted: usize, deadline: Instant) -> Result<Vec<Vec<Row>>, Failed> {
    prepare(link, steps, deadline).map_err(|trouble| Failed { step: 0, trouble })?;
    let Link { client, driver, statements, .. } = link;
    let mut answers: Vec<Answer<'_>> = Vec::with_capacity(steps.len());
    for step in steps {
        answers.push(match step {
            Step::Text(text) => Box::pin(async { client.batch_execute(text).await.map(|()| Vec::new()) }),
            Step::Run { sql, values } => Box::pin(ask(client, &statements[sql], values)),
        });
    }
    let mut failed = None;
    let mut rows = Vec::with_capacity(answers.len());
    let outcome = driver.run(
        deadline,
        first(answers, wanted, |step, answer| match answer {
            Ok(found) => rows.push(found),
            Err(error) if failed.is_none() => failed = Some((step, error)),
            Err(_) => {}
        }),
    );
    match (outcome, failed) {
        (_, Some((step, error))) => Err(Failed { step, trouble: Trouble::Server(error) }),
        (Err(trouble), None) => Err(Failed { step: rows.len(), trouble }),
        (Ok(()), None) => Ok(rows),
    }
}

/// Sends words whose answer nobody needs.
pub(super) fn post(link: &mut Link, text: &'static str) {
    let Link { client, driver, .. } = link;
    driver.post(client.batch_execute(text));
}

async fn ask(client: &Client, statement: &Statement, values: &[Value]) -> Result<Vec<Row>, Error> {
    client.query_raw(statement, values).await?.try_collect().await
}

/// Has the server prepare what it has not seen on this connection, all at once.
fn prepare(link: &mut Link, steps: &[Step], deadline: Instant) -> Result<(), Trouble> {
    let mut missing: Vec<Sql> = Vec::new();
    for step in steps {
        if let Step::Run { sql, .. } = step
            && !link.statements.contains_key(sql)
            && !missing.contains(sql)
        {
            missing.push(*sql);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let Link { client, driver, statements, .. } = link;
    let texts: Vec<String> = missing.iter().map(|sql| sql.in_postgres()).collect();
    let client = &*client;
    let answers = texts.iter().map(|text| Box::pin(client.prepare(text))).collect();
    let mut failed = None;
    driver.run(
        deadline,
        first(answers, missing.len(), |which, answer| match answer {
            Ok(statement) => {
                statements.insert(missing[which], statement);
            }
            Err(error) => failed = failed.take().or(Some(error)),
        }),
    )?;
    failed.map_or(Ok(()), |error| Err(Trouble::Server(error)))
}

/// Starts all futures in their order, then takes the results of the first few in the same order.
async fn first<F, T>(
    mut futures: Vec<Pin<Box<F>>>,
    mut wanted: usize,
    mut each: impl FnMut(usize, Result<T, Error>),
) -> Result<(), Error>
where
    F: Future<Output = Result<T, Error>> + ?Sized,
{
    let mut early: Vec<Option<Result<T, Error>>> = (0..futures.len()).map(|_| None).collect();
    let mut started = false;
    let mut next = 0;
    poll_fn(|context| {
        if !started {
            started = true;
            for (place, (future, early)) in futures.iter_mut().zip(&mut early).enumerate() {
                if let Poll::Ready(answer) = future.as_mut().poll(context) {
                    let unsendable = answer.is_err();
                    *early = Some(answer);
                    if unsendable {
                        // What comes after it, the commit above all, must not be sent without it.
                        wanted = wanted.min(place + 1);
                        break;
                    }
                }
            }
        }
        while next < wanted {
            let answer = match early[next].take() {
                Some(answer) => answer,
                None => match futures[next].as_mut().poll(context) {
                    Poll::Ready(answer) => answer,
                    Poll::Pending => return Poll::Pending,
                },
            };
            // A connection that is gone answers nothing more.
            let closed = matches!(&answer, Err(error) if error.is_closed());
            each(next, answer);
            next += 1;
            if closed {
                return Poll::Ready(());
            }
        }
        Poll::Ready(())
    })
    .await;
    Ok(())
}
