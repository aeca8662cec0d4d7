#include <cstddef>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "engine_rounds.hpp"
#include "plain_compression.hpp"
#include "plain_order.hpp"

namespace batfill::tests::compression_by_hand_test {

// Compression of the plan by hand: the figures of the paper on pc and dc, and other small schedules.

using Kind = PlainCompression::Kind;

namespace {

// A small machine beside the plain form, which reports each move.
class CompressionTable : public Table {
 public:
    CompressionTable(int processors, Kind kind, const std::string& order)
        : Table(processors, name_of(kind), {{"order", order}}),
          plain_(processors, kind, named_orders().at(order), counts_) {}

    std::string round() {
        moves_told_ = plain_.moves().size();
        plain_.round(message());
        return Table::round();
    }
    // The moves of the last round: "b 7; a 1".
    std::string moves() const {
        std::string text;
        for (std::size_t i = moves_told_; i < plain_.moves().size(); ++i) {
            const auto& [job, start] = plain_.moves()[i];
            text += (text.empty() ? "" : "; ") + name(job) + " " + brief(start);
        }
        return text;
    }

 private:
    PlainCompression::Counts counts_;
    PlainCompression plain_;
    std::size_t moves_told_ = 0;
};

// Figure 3 of the paper. The next round hears of the early end of A.
template <typename AnyTable>
void tell_of_figure_3(AnyTable& table) {
    table.at(0);
    table.submit("A", 1, 6);
    table.submit("B", 1, 7);
    table.submit("C", 1, 4);
    table.submit("D", 1, 6);
    table.submit("E", 2, 5);
    table.submit("F", 1, 4);
    CHECK(table.round() == "start A B C; D 4; E 7; F 10");
    table.at(1);
    table.ends("A");
}

}  // namespace

TEST_CASE("conservative with compression=start-now leaves holes that begin later, until time reaches them",
          "[compression]") {
    // Before and after the early end of A.
    //
    //     0 1 2 3 4 5 6 7 8 9 10  12          0 1 2 3 4 5 6 7 8 9 10  12
    //     A A A A A A - E E E E E - -         A D D D D D D E E E E E - -
    //     B B B B B B B E E E E E - -         B B B B B B B E E E E E - -
    //     C C C C D D D D D D F F F F         C C C C - - - - - - F F F F
    const auto after_the_end_of_A = [](const std::string& compression) {
        auto table = std::make_unique<Table>(3, "conservative", Parameters::Given{{"compression", compression}});
        tell_of_figure_3(*table);
        return table;
    };
    SECTION("by planned start, F moves into the place that D has left") {
        CHECK(after_the_end_of_A("planned-start")->round() == "start D; E 7; F 4");
    }
    SECTION("F could start at 4, which is not now; at 4 it can, though C ends on time") {
        const auto table = after_the_end_of_A("start-now");
        CHECK(table->round() == "start D; E 7; F 10");
        table->at(4);
        table->ends("C");
        CHECK(table->round() == "start F; E 7");
    }
    SECTION("a job that is submitted meanwhile may take the hole, and delays nobody's plan") {
        const auto table = after_the_end_of_A("start-now");
        CHECK(table->round() == "start D; E 7; F 10");
        table->at(2);
        table->submit("G", 1, 6);
        CHECK(table->round() == "start; E 7; F 10; G 4");
        table->at(4);
        table->ends("C");
        CHECK(table->round() == "start G; E 7; F 10");
    }
    SECTION("the job that was planned first is tried first") {
        const auto table = after_the_end_of_A("start-now");
        table->submit("G", 1, 1);  // arrives with the end of A; D's planned start is before it
        CHECK(table->round() == "start D; E 7; F 10; G 4");
    }
}

// The figures of the paper are drawings. Its text says which jobs exist, which ones move and in which order. The
// numbers of processors and the lengths are ours, chosen to make the text true. The first job ends early, at 1.

TEST_CASE("pc and dc: after each move the scan returns to its front (figure 1 of the paper)", "[compression]") {
    // Processors from top to bottom, before and after A ends early. Longest job first: E, C, D.
    //
    //     0 1 2 3 4 5 6 7 8 9 10          0 1 2 3 4 5
    //     A A A A A C C - - - -           A C C - - -
    //     A A A A A C C - - - -           A C C D - -
    //     A A A A A D E E E E E           A E E E E E
    //     B B B - - D - - - - -           B B B D - -
    for (const Kind kind : both_kinds) {
        CompressionTable table(4, kind, "lpf");
        table.at(0);
        table.submit("A", 3, 5);
        table.submit("B", 1, 3);
        table.submit("C", 2, 2);
        table.submit("D", 2, 1);
        table.submit("E", 1, 5);  // one processor is free from 3 to 5 and from 6
        CHECK(table.round() == "start A B; C 5; D 5; E 6");
        table.at(1);
        table.ends("A");
        // E needs 5 seconds, and C and D block it. C can start now. With one try per job, only D would follow, at 3,
        // and E would stay at 6. But from the front again, only D blocks E, and a processor beside D is free. (dc
        // leaves D for later.)
        if (kind == Kind::pc) {
            CHECK(table.round() == "start C E; D 3");
            CHECK(table.moves() == "C 1; E 1; D 3");
        } else {
            CHECK(table.round() == "start C E; D 5");
            CHECK(table.moves() == "C 1; E 1");
        }
        table.at(3);
        table.ends("B");
        table.ends("C");
        CHECK(table.round() == "start D");
        table.at(4);
        table.ends("D");
        CHECK(table.round() == "start");
        table.at(6);
        table.ends("E");
        CHECK(table.round() == "start");
    }
}

TEST_CASE("pc: a compression may move one job twice (figure 2 of the paper)", "[compression]") {
    // (a) before A ends early, (b) after the first move of D, (c) after the moves of C and then D again. Widest first:
    // D, C.
    //
    //     0 1 2 3 4 5 6 7 8 9 10     0 1 2 3 4 5 6 7 8     0 1 2 3 4 5
    //     B B B B C C C - - D D      B B B B C C C D D     B B B B D D
    //     B B B B - - - - - D D      B B B B - - - D D     B B B B D D
    //     A A A A A A A A A D D      A - - - - - - D D     A C C C D D
    CompressionTable table(3, Kind::pc, "lqf");
    table.at(0);
    table.submit("A", 1, 9);
    table.submit("B", 2, 4);
    table.submit("C", 1, 3);
    table.submit("D", 3, 2);
    CHECK(table.round() == "start A B; C 4; D 9");
    table.at(1);
    table.ends("A");
    CHECK(table.round() == "start C; D 4");
    CHECK(table.moves() == "D 7; C 1; D 4");
    table.at(4);
    table.ends("B");
    table.ends("C");
    CHECK(table.round() == "start D");
    table.at(6);
    table.ends("D");
    CHECK(table.round() == "start");
}

TEST_CASE("dc leaves holes for later, and protects them (figure 3 of the paper)", "[compression]") {
    // Before and after A ends early. Longest job first: D, E, F. D leaves a hole behind C, from 4 on, into which F
    // could move.
    //
    //     0 1 2 3 4 5 6 7 8 9 10  12          0 1 2 3 4 5 6 7 8 9 10  12
    //     A A A A A A - E E E E E - -         A D D D D D D E E E E E - -
    //     B B B B B B B E E E E E - -         B B B B B B B E E E E E - -
    //     C C C C D D D D D D F F F F         C C C C - - - - - - F F F F
    const auto after_the_end_of_A = [](Kind kind) {
        auto table = std::make_unique<CompressionTable>(3, kind, "lpf");
        tell_of_figure_3(*table);
        CHECK(table->round() == (kind == Kind::dc ? "start D; E 7; F 10" : "start D; E 7; F 4"));
        return table;
    };
    SECTION("pc closes the hole at once") {
        after_the_end_of_A(Kind::pc);
    }
    SECTION("it is filled when time reaches it, though C ends on time") {
        const auto table = after_the_end_of_A(Kind::dc);
        table->at(4);
        table->ends("C");
        CHECK(table->round() == "start F; E 7");
        CHECK(table->moves() == "F 4");
        table->at(7);
        table->ends("B");
        table->ends("D");
        CHECK(table->round() == "start E");
        table->at(8);
        table->ends("F");
        CHECK(table->round() == "start");
        table->at(12);
        table->ends("E");
        CHECK(table->round() == "start");
    }
    SECTION("a job of lower priority that would take it makes F move first") {
        const auto table = after_the_end_of_A(Kind::dc);
        table->at(2);
        table->submit("G", 1, 3);  // could run from 4 to 7, and F could start at 4
        CHECK(table->round() == "start; E 7; F 4; G 8");
        CHECK(table->moves() == "F 4");
        table->at(4);
        table->ends("C");
        CHECK(table->round() == "start F; E 7; G 8");
    }
    SECTION("a job of higher priority gets it") {
        const auto table = after_the_end_of_A(Kind::dc);
        table->at(2);
        table->submit("G", 1, 6);
        CHECK(table->round() == "start; E 7; F 10; G 4");
        CHECK(table->moves().empty());
        table->at(4);
        table->ends("C");
        CHECK(table->round() == "start G; E 7; F 10");
    }
}

TEST_CASE("dc: a submitted job makes those before it move that could start before it ends", "[compression]") {
    // When A ends early at 1, b cannot start now and stays at 10. It could start at 5, when R ends. One processor is
    // idle until then.
    const auto after_the_end_of_A = [](const std::string& order) {
        auto table = std::make_unique<CompressionTable>(2, Kind::dc, order);
        table->at(0);
        table->submit("R", 1, 5);
        table->submit("A", 1, 10);
        table->submit("b", 2, 9);
        CHECK(table->round() == "start R A; b 10");
        table->at(1);
        table->ends("A");
        CHECK(table->round() == "start; b 10");
        table->at(2);
        return table;
    };
    SECTION("at the very end is no conflict") {
        const auto table = after_the_end_of_A("lpf");
        table->submit("j", 1, 3);
        CHECK(table->round() == "start j; b 10");
    }
    SECTION("one second longer is one") {
        const auto table = after_the_end_of_A("lpf");
        table->submit("j", 1, 4);
        CHECK(table->round() == "start; b 5; j 14");
    }
    SECTION("a job behind the submitted one is left where it is") {
        const auto table = after_the_end_of_A("spf");
        table->submit("j", 1, 8);
        CHECK(table->round() == "start j; b 10");
    }
    SECTION("of equals, the first comes first") {
        const auto table = after_the_end_of_A("spf");
        table->submit("j", 1, 9);  // at 19; or at 14 if b moves
        CHECK(table->round() == "start; b 5; j 14");
    }
    SECTION("the submissions of a message come one after the other") {
        const auto table = after_the_end_of_A("lpf");
        table->submit("i", 1, 3);
        table->submit("j", 1, 4);  // i gets the idle processor; j could run from 5 to 9
        CHECK(table->round() == "start i; b 5; j 14");
    }
}

}  // namespace batfill::tests::compression_by_hand_test
